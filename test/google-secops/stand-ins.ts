import { beforeAll, beforeEach } from "@jest/globals";
import { installStandInNode, type StandInNode } from "./installation.ts";
import { StandInPlatform } from "./platform.ts";

/** A program in the place of Node.js, and a platform. */
export interface StandIns {
  readonly node: StandInNode;
  readonly platform: StandInPlatform;
}

/**
 * The stand-ins of a suite: each of its tests has a new platform.
 *
 * @param prepare - what each test begins with
 */
export function standInsForEachTest(prepare: (standIns: StandIns) => void = () => undefined): StandIns {
  const own = {} as { -readonly [name in keyof StandIns]: StandIns[name] };
  beforeAll(async () => {
    own.node = await installStandInNode();
  });
  beforeEach(async () => {
    own.platform = await StandInPlatform.start();
    prepare(own);
  });
  return own;
}
