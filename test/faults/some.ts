/** Like `map` with promises, some at a time, the results in the order of the items. */
export async function mapSome<T, R>(items: readonly T[], atATime: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Map<number, R>();
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results.set(index, await work(item));
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  return [...results].sort(([a], [b]) => a - b).map(([, result]) => result);
}
