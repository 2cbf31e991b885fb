/** The maximum length of a name that all clients accept. */
const maxLength = 64;

/**
 * Names the tool of each endpoint: `logs.all` -> `logs_all`. Clients accept letters, digits, _ and -; names that are
 * equal, or already taken, get a number.
 */
export function toolNames(
  endpoints: readonly string[],
  taken: readonly string[],
): readonly string[] {
  const used = new Set(taken);
  return endpoints.map((endpoint) => {
    const wanted = endpoint.replace(/[^\w-]/g, '_').slice(0, maxLength);
    let name = wanted;
    for (let n = 2; used.has(name); n++) name = `${wanted.slice(0, maxLength - 6)}_${n}`;
    used.add(name);
    return name;
  });
}
