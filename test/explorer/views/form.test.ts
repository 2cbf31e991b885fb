import type { VNode } from 'preact';
import { expect, test } from 'vitest';
import { App } from '../../../src/explorer/app/app.js';
import { ParameterForm } from '../../../src/explorer/views/form.js';
import { endpoint } from '../tables.js';

/** The elements of a type below a node; components without hooks are drawn. */
function elementsOf(node: unknown, type: string): readonly VNode<Record<string, unknown>>[] {
  if (Array.isArray(node)) return node.flatMap((one) => elementsOf(one, type));
  if (typeof node !== 'object' || node === null) return [];
  const vnode = node as VNode<Record<string, unknown>>;
  if (typeof vnode.type === 'function') {
    const draw = vnode.type as (props: unknown) => unknown;
    return elementsOf(draw(vnode.props), type);
  }
  return [...(vnode.type === type ? [vnode] : []), ...elementsOf(vnode.props.children, type)];
}

test('a time that is one of a few is chosen as it is written', () => {
  const app = new App();
  const times = ['2026-03-10T11:00:00Z', '2026-03-10T12:00:00Z'];
  const since = { name: 'since', type: 'timestamp', required: false, oneOf: times } as const;
  app.store.update({ page: { ...app.store.get().page, values: { since: times[1] ?? '' } } });
  const given = { ...endpoint, parameters: [...endpoint.parameters, since] };
  const form = ParameterForm({ app, state: app.store.get(), endpoint: given });
  const [select] = elementsOf(form, 'select');
  expect(select?.props['value']).toBe(times[1]);
  const choose = select?.props['onInput'] as (event: unknown) => void;
  choose({ target: { value: times[0] } });
  expect(app.store.get().page.values['since']).toBe(times[0]);
});
