/** The SQL that reads a field of the records of a table `t`. */
export interface ReadPath {
  /** The items of FROM besides `t`, in order. */
  readonly from: readonly string[];
  readonly field: string;
}

/**
 * `project` -> `t.project`; `metadata.a.project` -> `unnest(t.metadata) as m0`, `unnest(m0.a) as m1` and `m1.project`.
 * Names of fields consist of letters, digits and _.
 */
export function readPath(path: readonly string[]): ReadPath {
  const records = path.slice(0, -1);
  const owner = (depth: number) => (depth === 0 ? 't' : `m${depth - 1}`);
  return {
    from: records.map((record, depth) => `unnest(${owner(depth)}.\`${record}\`) as m${depth}`),
    field: `${owner(records.length)}.\`${path.at(-1) ?? ''}\``,
  };
}
