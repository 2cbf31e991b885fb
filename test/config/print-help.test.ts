import { describe, expect, test } from 'vitest';
import { type HelpTopic, printHelp } from '../../src/config/print-help.js';
import { settings, toFlag } from '../../src/config/settings.js';
import { verbHelp } from '../../src/config/verb-help.js';
import { verbs } from '../../src/config/verbs.js';

const topics: readonly (HelpTopic | undefined)[] = [undefined, 'flags', ...verbs];

test.each(topics)('no line of the help %s is longer than 100 columns', (topic) => {
  const lines = printHelp(topic).split('\n');
  expect(lines.filter((line) => line.length > 100)).toEqual([]);
});

describe('the overview', () => {
  const overview = printHelp();

  test('has at most 40 lines', () => {
    expect(overview.split('\n').length).toBeLessThanOrEqual(40);
  });

  test('names each verb once, in a group', () => {
    expect(verbHelp.map(({ verb }) => verb).sort()).toEqual([...verbs].sort());
    for (const { usage, does } of verbHelp)
      expect(overview).toMatch(new RegExp(`^  ${usage.replace('|', '.')}  +${does}$`, 'm'));
    for (const { group } of verbHelp) expect(overview).toContain(`\n${group}\n`);
  });

  test('has ten flags', () => {
    expect(overview.match(/^ {2}--/gm)).toHaveLength(10);
  });
});

test.each(verbs)('the help of %s has each of its flags once, and an example', (verb) => {
  const help = printHelp(verb);
  const own = Object.entries(settings).filter(([, each]) => each.verbs.some((one) => one === verb));
  const listed = [...help.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, flag = '']) => flag);
  expect(listed.sort()).toEqual(own.map(([name]) => toFlag(name)).sort());
  expect(help).toMatch(new RegExp(`^ {2}log-endpoints ${verb}\\b`, 'm'));
});

test('the help of all flags has each setting once', () => {
  const listed = [...printHelp('flags').matchAll(/^ {2}--([a-z-]+)/gm)].map(
    ([, flag = '']) => flag,
  );
  expect(listed.sort()).toEqual(Object.keys(settings).map(toFlag).sort());
});
