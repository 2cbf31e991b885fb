import { QueryFault } from '../../errors/query-fault.js';

/** The fault of a sub-select that stands for one value, and has more columns or none. */
export function oneColumn(name: string, count: number, at: number): QueryFault {
  const message = `${name} subquery cannot have more than one column unless using SELECT AS STRUCT to build STRUCT values (it has ${count})`;
  return new QueryFault(message, at);
}
