// Modules of the built program in dist/, typed by their sources because the build emits no types.

/** @param {string} module path in dist/ */
export function importBuilt(module) {
  return import(new URL(`../dist/${module}`, import.meta.url).href);
}
