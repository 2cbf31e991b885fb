import { expect, test } from 'vitest';
import { noteOnProjects } from '../../../src/explorer/model/first-page.js';
import { maxListedProjects } from '../../../src/run/known-projects.js';

test('a list of projects may have more if it is as long as the server makes one', () => {
  const projects = Array.from({ length: maxListedProjects }, (_, index) => `p${index}`);
  expect(noteOnProjects(projects, 'above')).toBe(
    `At most ${maxListedProjects} projects are listed. The name of any other can be typed above.`,
  );
  expect(noteOnProjects(projects.slice(1), 'above')).toBeUndefined();
});
