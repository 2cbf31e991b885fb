import type { DuckDBConnection } from '@duckdb/node-api';
import type { Field } from '../../types/types.js';
import { chooseFields } from '../columns/budget.js';
import { noContents } from '../columns/contents.js';
import { findWitnesses } from '../columns/not-null-witness.js';
import { findOnlyProject } from '../columns/only-project.js';
import { addShape, fieldNames, joinShapes } from '../columns/shape.js';
import { packShape, unpackShape } from '../columns/stored-shape.js';
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
  const { source, files } = load;
  const typed = fieldNames([...source.columns, ...knownFields(load)]);
  const opened: (OpenFile | FileReport)[] = [];
  for (const file of files) {
    opened.push(await openFile(context, { file, source, typed }));
    context.meter.fileRead(file);
  }
  return writeSource(context, load, opened);
}

/** The fields that already have types. */
function knownFields({ base, typed = [] }: SourceLoad): readonly Field[] {
  return base?.columns ?? typed;
}

async function writeSource(
  context: LoadContext,
  load: SourceLoad,
  opened: readonly (OpenFile | FileReport)[],
): Promise<LoadedSource> {
  const { source, base, contents: before = noContents, files, carried } = load;
  const { connection, meter, staging, maxFields } = context;
  const open = opened.filter((each) => 'reader' in each);
  const own = joinShapes(open.map((each) => each.shape));
  // All records, including stored ones, determine how each is stored.
  const all = unpackShape(before.shape);
  addShape(all, own);
  const keepChosen = chooseFields(all, source.columns, { maxFields, known: knownFields(load) });
  const shape = keepChosen(all);
  const writing = { source, base, knownLists: before.lists, shape, open, staging };
  const { parts = [] } = carried ?? {};
  const table = await withParts(connection, { source: source.name, parts }, (rowsIn) =>
    meter.write(connection, files, () =>
      writeTable(connection, { ...writing, ...(carried && { carried: { ...carried, rowsIn } }) }),
    ),
  );
  const loads: FileLoad[] = [];
  for (const each of opened) {
    const isOpen = 'reader' in each;
    loads.push(isOpen ? await loadOf(connection, each, table) : { report: each });
  }
  const columns = table.fields.map((field) => schemaField(field, '', table.lists));
  const schema = await findWitnesses(connection, { name: source.name, columns }, base);
  const project = await findOnlyProject(connection, { ...source, columns });
  await writeNewest(context, { ...source, columns });
  const contents = { shape: packShape(keepChosen(own)), lists: table.ownLists };
  return { schema, contents, project, files: loads };
}

async function loadOf(
  connection: DuckDBConnection,
  open: OpenFile,
  table: WrittenTable,
): Promise<FileLoad> {
  const { source, name, takesFileTime } = open.reader.file;
  const { lines, counts } = open;
  const { objects, bad } = counts;
  const {
    faults: found,
    badFields,
    unreadableTimes,
  } = await findLineFaults(connection, open, table);
  const faults = [
    ...(open.note === undefined ? [] : [{ file: name, message: open.note }]),
    ...found,
  ];
  const records = objects - unreadableTimes;
  const badLines = bad + unreadableTimes;
  const readable = records > 0 || badLines === 0;
  const times = takesFileTime && { takesFileTime };
  return {
    report: { source, file: name, records, badLines, badFields, faults, readable, ...times },
    ...(lines !== undefined && { read: { lines, records: objects + bad } }),
  };
}
