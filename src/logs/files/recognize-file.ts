import type { Mapping } from '../shapes/mapping.js';
import { recognizeShape } from './recognize-shape.js';

/**
 * The name of the shape that a file has, by its content; an empty one if its records have the columns of a source already,
 * and undefined if no shape fits. Never throws.
 */
export function recognizeFile(
  path: string,
  shapes: Readonly<Record<string, Mapping>>,
): string | undefined {
  const found = recognizeShape(path, shapes);
  if ('shape' in found) return found.shape;
  const keys = 'keys' in found ? found.keys.split(', ') : [];
  return keys.includes('timestamp') && keys.includes('event_message') ? '' : undefined;
}
