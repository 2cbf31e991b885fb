import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { generateLogs } from '../../../src/cli/generate.js';
import { readCommand } from '../../../src/config/config.js';
import { quoteText } from '../../../src/process/quote.js';
import { loadFolder, makeFolder } from '../../support/load-logs.js';
import { inScratch } from '../../support/scratch-database.js';

test('rows that are on disk are not written again, although the last row group of each file is not full', async () => {
  const folder = join(makeFolder({}), 'logs');
  await generateInto(folder, ['--records', '260000', '--files', '130000']);
  const { database } = await loadFolder(folder, { threads: 2 });
  rmSync(dirname(folder), { recursive: true });
  // Without the setting of the loader, a third of the blocks.
  expect(await freeShare(database)).toBeLessThan(0.05);
});

async function generateInto(folder: string, flags: readonly string[]): Promise<void> {
  const to = ['--out', folder, '--source', 'edge_logs', '--plain', '--to', '2026-03-10T12:00:00Z'];
  const command = readCommand(['generate', ...to, ...flags], {});
  if (command.verb !== 'generate') throw new Error('not the verb generate');
  await generateLogs(command.settings, Date.parse('2026-03-12T00:00:00Z'));
}

/** The share of the blocks of a database file that hold nothing. */
function freeShare(database: string): Promise<number> {
  return inScratch(async (connection) => {
    await connection.run(`attach ${quoteText(database)} as stored (read_only)`);
    const reader = await connection.runAndReadAll(`select free_blocks / total_blocks
      from pragma_database_size() where database_name = 'stored'`);
    return Number(reader.getRowsJson()[0]?.[0]);
  });
}
