/** Kills the child process if this process exits first. @param {import('node:child_process').ChildProcess} child */
export function killOnExit(child) {
  const kill = () => child.kill();
  process.prependOnceListener('exit', kill);
  child.once('exit', () => process.off('exit', kill));
}
