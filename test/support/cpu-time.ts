/** The processor time that some work takes of this process, in milliseconds: what else the machine has to do is not in it. */
export function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
