/** 127.0.0.0/8 and ::1, as URLs write them. */
const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i;

/** Whether a host, such as `127.0.0.1`, `localhost` or `[::1]`, is this machine for nobody else. */
export function isLoopback(host: string): boolean {
  return loopback.test(host);
}
