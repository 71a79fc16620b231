import type { JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

/** Takes one file: dropped, or chosen with the keyboard. */
export function DropZone({ label, onFile }: { label: string; onFile: (file: File) => void }): JSX.Element {
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const take = (files: FileList | null | undefined): void => {
    const file = files?.[0];
    if (file !== undefined) onFile(file);
    // The same file can be chosen again after it was built anew.
    if (input.current !== null) input.current.value = "";
  };
  return (
    <div
      class={isOver ? "drop-zone over" : "drop-zone"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => {
        setOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <Icon name="upload" size={20} />
      <p>
        Drop a package here, or <label for={id}>choose a zip</label>
      </p>
      <input
        ref={input}
        id={id}
        class="unseen"
        type="file"
        aria-label={`${label}: choose a zip`}
        accept=".zip,application/zip"
        onChange={({ currentTarget }) => {
          take(currentTarget.files);
        }}
      />
    </div>
  );
}
