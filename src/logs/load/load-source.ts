import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteName } from '../../process/quote.js';
import { printedTable, projectSql } from '../../rows/print-columns.js';
import type { SourceSchema } from '../../types/schema.js';
import { countStored } from '../../types/types.js';
import { chooseFields } from '../columns/budget.js';
import { type FieldPlan, planFields, withoutAbsent } from '../columns/columns.js';
import { canReadAs, orderLikeKnown } from '../columns/fit.js';
import { findWitnesses } from '../columns/not-null-witness.js';
import {
  addShape,
  fieldNames,
  joinShapes,
  packShape,
  type Shape,
  unpackShape,
} from '../columns/shape.js';
import { schemaField } from '../columns/stored-type.js';
import { withParts } from './attach-parts.js';
import { findLineFaults } from './find-faults.js';
import type { FileLoad, LoadedSource, SourceLoad } from './job.js';
import { type LoadContext, type OpenFile, openFile } from './open-file.js';
import type { FileReport } from './report.js';
import { writeNewest } from './write-newest.js';
import { type WrittenTable, writeTable } from './write-table.js';

/** Loads the files of one source and writes its table. */
export async function loadSource(context: LoadContext, load: SourceLoad): Promise<LoadedSource> {
  const { source, files, typed: known = [] } = load;
  const typed = fieldNames([...source.columns, ...known]);
  const opened: (OpenFile | FileReport)[] = [];
  for (const file of files) {
    opened.push(await openFile(context, { file, source, typed }));
    context.meter.fileRead(file);
  }
  return writeSource(context, load, opened);
}

async function writeSource(
  context: LoadContext,
  load: SourceLoad,
  opened: readonly (OpenFile | FileReport)[],
): Promise<LoadedSource> {
  const { source, base, contents: before = {}, typed = [], kept = [], files, parts } = load;
  const { connection, meter, maxFields } = context;
  const open = opened.filter((each) => 'options' in each);
  const own = joinShapes(open.map((each) => each.shape));
  // All records, including stored ones, determine how each is stored.
  const all = unpackShape(before);
  addShape(all, own);
  // The last attempt after memory ran out: fields that had types need the memory, too.
  const known = maxFields === 0 ? [] : typed;
  const keepChosen = chooseFields(all, source.columns, { maxFields, known });
  const fields = orderLikeKnown(planFields(source.columns, keepChosen(all)), base?.columns ?? []);
  const columns = fields.map(schemaField);
  const contents = packShape(keepChosen(own));
  if (!kept.every((one) => canReadAs(one, columns))) {
    return { schema: { name: source.name, columns }, isWritten: false, contents, files: [] };
  }
  const isAppended = base !== undefined && parts.length === 0;
  const partFields = isAppended ? withoutManyAbsent(fields, own) : fields;
  const table = await withParts(connection, load, (rowsIn) =>
    meter.write(connection, files, () =>
      writeTable(context, load, { fields: partFields, open, rowsIn }),
    ),
  );
  const loads: FileLoad[] = [];
  for (const each of opened) {
    const isOpen = 'options' in each;
    loads.push(isOpen ? await reportLoad(connection, each, table) : { report: each });
  }
  const partColumns = partFields === fields ? undefined : partFields.map(schemaField);
  const written = { ...source, columns: partColumns ?? columns };
  const named = { name: source.name, columns };
  const schema = await findWitnesses(connection, named, { base, partColumns });
  const project = await findOnlyProject(connection, written);
  await writeNewest(context, written, table.records);
  return { schema, isWritten: true, partColumns, contents, project, files: loads };
}

/** A table keeps absent fields if they are no more than this: tables of the same columns are read as one. */
const maxAbsent = 200;

function withoutManyAbsent(fields: readonly FieldPlan[], shape: Shape): readonly FieldPlan[] {
  const kept = withoutAbsent(fields, shape);
  const count = (some: readonly FieldPlan[]) => countStored(some.map(schemaField));
  return count(fields) - count(kept) > maxAbsent ? kept : fields;
}

async function reportLoad(
  connection: DuckDBConnection,
  open: OpenFile,
  table: WrittenTable,
): Promise<FileLoad> {
  const { source, name, takesFileTime, compression } = open.file;
  const { lines, objects, bad, note } = open;
  const { unreadableTimes, badFields, ...found } = await findLineFaults(connection, open, table);
  const faults = [...(note === undefined ? [] : [{ file: name, message: note }]), ...found.faults];
  const records = objects - unreadableTimes;
  const badLines = bad + unreadableTimes;
  const readable = records > 0 || badLines === 0;
  const times = takesFileTime && { takesFileTime };
  return {
    report: { source, file: name, records, badLines, badFields, faults, readable, ...times },
    ...(compression === 'none' && { lines }),
  };
}

/**
 * The project of all records of a table that was just written. Undefined if there are several, if
 * some record has none, or if the path leads through a list.
 */
async function findOnlyProject(
  connection: DuckDBConnection,
  source: SourceSchema,
): Promise<string | undefined> {
  const value = source.projectPath && projectSql(source);
  if (value === undefined) return undefined;
  const table = `out.main.${quoteName(source.name)} as ${printedTable}`;
  const reader = await connection.runAndReadAll(
    `select min(${value}), max(${value}), count(${value}) = count(*) from ${table}`,
  );
  const [min, max, isEverywhere] = reader.getRowsJson()[0] ?? [];
  return isEverywhere === true && min === max && typeof min === 'string' ? min : undefined;
}
