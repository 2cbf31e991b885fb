import ts from '/tmp/ts5/node_modules/typescript/lib/typescript.js';
import { readFileSync, writeFileSync } from 'node:fs';
import { execSync } from 'node:child_process';
const [,, target, ns] = process.argv; // e.g. duckdb-sql/duckdb-sql.js duck
const files = execSync("git ls-files 'src/*.ts'", { encoding: 'utf8' }).trim().split('\n');
const config = ts.parseJsonConfigFileContent(ts.readConfigFile('tsconfig.json', ts.sys.readFile).config, ts.sys, '.');
const program = ts.createProgram(files, config.options);
const checker = program.getTypeChecker();
let changed = 0;
for (const f of files) {
  const sf = program.getSourceFile(f); if (!sf) continue;
  const text = sf.text;
  for (const st of sf.statements) {
    if (!ts.isImportDeclaration(st) || !st.importClause?.namedBindings || !ts.isNamedImports(st.importClause.namedBindings)) continue;
    if (!st.moduleSpecifier.text.endsWith(target)) continue;
    const importText = st.getText(sf);
    if (!importText.includes('\n')) continue;
    const els = st.importClause.namedBindings.elements;
    const isTypeImport = st.importClause.isTypeOnly;
    const types = els.filter((e) => isTypeImport || e.isTypeOnly), values = els.filter((e) => !isTypeImport && !e.isTypeOnly);
    
    const syms = new Map(els.map((e) => [checker.getSymbolAtLocation(e.name), (e.propertyName ?? e.name).text]));
    const edits = [];
    let clash = false;
    const visit = (n) => {
      if (ts.isIdentifier(n) && n.text === ns) clash = true;
      if (ts.isIdentifier(n) && !(n.parent && ts.isImportSpecifier(n.parent))) {
        if (n.parent && ts.isShorthandPropertyAssignment(n.parent) && n.parent.name === n) {
          const s = checker.getShorthandAssignmentValueSymbol(n.parent);
          if (syms.has(s)) edits.push([n.getStart(sf), n.end, `${n.text}: ${ns}.${syms.get(s)}`]);
          return;
        }
        const s = checker.getSymbolAtLocation(n);
        if (syms.has(s)) edits.push([n.getStart(sf), n.end, `${ns}.${syms.get(s)}`]);
      }
      ts.forEachChild(n, visit);
    };
    visit(sf);
    if (clash) { console.log('clash', f); continue; }
    const imports = [`import ${values.length ? '' : 'type '}* as ${ns} from '${st.moduleSpecifier.text}';`];
    
    edits.push([st.getStart(sf), st.end, imports.join('\n')]);
    let out = text;
    for (const [a, b, r] of edits.sort((x, y) => y[0] - x[0])) out = out.slice(0, a) + r + out.slice(b);
    writeFileSync(f, out); changed++;
  }
}
console.log('changed', changed);
