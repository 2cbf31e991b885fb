// Modules of the built program in build/, typed by their sources because the build emits no types.

/** @param {string} module path in build/ */
export function importBuilt(module) {
  return import(new URL(`../build/${module}`, import.meta.url).href);
}
