/** How long work keeps the processor, in milliseconds: what other processes take of a busy machine is not in it. */
export function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
