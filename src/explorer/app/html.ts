import htm from 'htm';
import { type ComponentChildren, h, type VNode } from 'preact';

/** Builds elements of a template. Texts always become text nodes, so log contents are never read as HTML. */
export const html = htm.bind(h) as (strings: TemplateStringsArray, ...values: unknown[]) => VNode;

/** What a component may contain. */
export type Children = ComponentChildren;
