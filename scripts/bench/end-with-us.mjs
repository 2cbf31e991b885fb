/** Ends a child when this process ends before it. @param {import('node:child_process').ChildProcess} child */
export function endWithUs(child) {
  const end = () => child.kill();
  process.prependOnceListener('exit', end);
  child.once('exit', () => process.off('exit', end));
}
