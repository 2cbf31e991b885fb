import htm from 'htm';
import { h, type VNode } from 'preact';

/** Builds elements of a template. Texts always become text nodes, so log contents are never read as HTML. */
export const html = htm.bind(h) as (strings: TemplateStringsArray, ...values: unknown[]) => VNode;
