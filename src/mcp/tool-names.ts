/** The longest name that all clients take. */
const maxLength = 64;

/**
 * A name for the tool of each endpoint: `logs.all` -> `logs_all`. Clients take letters, digits, _ and -; names that would
 * be equal, or are taken already, get a number.
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
