import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import ts from 'typescript';
import { subpaths } from '../../scripts/subpaths.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** An export of a subpath with its docstring. */
export interface DocumentedExport {
  /** Such as `voice-agent-integrations/billing`; the first one that has it. */
  readonly specifier: string;
  readonly name: string;
  /** There at run time: a function, a class, a constant. */
  readonly isValue: boolean;
  readonly description: string;
  readonly examples: readonly string[];
}

/** Reads the docstring of everything that the package exports, each once. */
export const documentedExports = (): readonly DocumentedExport[] => {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    root,
  );
  const program = ts.createProgram(
    subpaths.map(({ source }) => fileURLToPath(source)),
    options,
  );
  const checker = program.getTypeChecker();
  const found = new Map<ts.Symbol, DocumentedExport>();
  for (const { specifier, source } of subpaths) {
    const file = program.getSourceFile(fileURLToPath(source));
    const module = file && checker.getSymbolAtLocation(file);
    if (!module) throw new Error(`${specifier} exports nothing`);
    for (const exported of checker.getExportsOfModule(module)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      if (found.has(symbol)) continue;
      found.set(symbol, {
        specifier,
        name: exported.name,
        isValue: (symbol.flags & ts.SymbolFlags.Value) !== 0,
        description: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
        examples: symbol
          .getJsDocTags(checker)
          .flatMap(({ name, text }) => (name === 'example' ? [ts.displayPartsToString(text)] : [])),
      });
    }
  }
  return [...found.values()];
};

/**
 * An example as a module of its own. What it uses of the package is imported; what it takes from the application around
 * it is there and of any type; lines that are part of an object are put into one.
 */
export const exampleModule = (
  { specifier }: DocumentedExport,
  code: string,
  all: readonly DocumentedExport[],
): string => {
  const { text, used, declared, types } = readNames(code);
  const isNear = (each: DocumentedExport) => each.specifier === specifier;
  const lines = [...used]
    .filter((name) => !declared.has(name) && name !== 'const')
    .map((name) => {
      if (name === 'z') return "import * as z from 'zod';";
      const exported = all.filter(
        (each) => each.name === name && (isNear(each) || !each.specifier.includes('/tools/')),
      );
      const own = exported.find(isNear) ?? exported[0];
      if (own) return `import { ${own.isValue ? '' : 'type '}${name} } from '${own.specifier}';`;
      if (name in globalThis) return '';
      return types.has(name) ? `type ${name} = any;` : `declare const ${name}: any;`;
    });
  return `${lines.join(' ')}\n${text}\n`;
};

const readNames = (code: string) => {
  const whole = ts.createSourceFile('example.ts', code, ts.ScriptTarget.ESNext, true);
  const isPart = ts.transpileModule(code, { reportDiagnostics: true }).diagnostics?.length !== 0;
  const text = isPart ? `({\n${code}\n});` : code;
  const used = new Set<string>();
  const declared = new Set<string>();
  const types = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && !isOnlyAName(node)) (isDeclared(node) ? declared : used).add(node.text);
    if (ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName)) types.add(node.typeName.text);
    ts.forEachChild(node, visit);
  };
  visit(isPart ? ts.createSourceFile('example.ts', text, ts.ScriptTarget.ESNext, true) : whole);
  return { text, used, declared, types };
};

/** Returns true for the name of a property, a label or a member of a type. */
const isOnlyAName = (node: ts.Identifier): boolean => {
  const { parent } = node;
  return (
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isPropertyAssignment(parent) && parent.name === node) ||
    (ts.isMethodDeclaration(parent) && parent.name === node) ||
    (ts.isPropertySignature(parent) && parent.name === node) ||
    (ts.isBindingElement(parent) && parent.propertyName === node) ||
    (ts.isImportSpecifier(parent) && parent.propertyName === node) ||
    ts.isLabeledStatement(parent)
  );
};

const isDeclared = (node: ts.Identifier): boolean => {
  const { parent } = node;
  return (
    ((ts.isVariableDeclaration(parent) || ts.isParameter(parent) || ts.isBindingElement(parent)) &&
      parent.name === node) ||
    ts.isImportSpecifier(parent) ||
    ts.isImportClause(parent) ||
    ts.isNamespaceImport(parent) ||
    ts.isFunctionDeclaration(parent) ||
    ts.isClassDeclaration(parent) ||
    ts.isInterfaceDeclaration(parent) ||
    ts.isTypeAliasDeclaration(parent)
  );
};
