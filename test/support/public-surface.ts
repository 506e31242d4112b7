import { join } from 'node:path';
import ts from 'typescript';

/**
 * Lists the exports of a package's declaration files: per entry each name in order, with its declaration on one line, without
 * comments. Names of build chunks do not appear.
 */
export const publicSurface = (folder: string, entries: readonly { specifier: string; entry: string }[]): string => {
  const fileOf = (entry: string) => join(folder, `${entry}.d.ts`);
  const program = ts.createProgram({
    rootNames: entries.map(({ entry }) => fileOf(entry)),
    options: { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, skipLibCheck: true, types: [] },
  });
  const checker = program.getTypeChecker();
  const printer = ts.createPrinter({ removeComments: true, omitTrailingSemicolon: true });

  const declarationOf = (exported: ts.Symbol): string => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    const texts = (symbol.declarations ?? []).map((declaration) =>
      printer
        .printNode(ts.EmitHint.Unspecified, declaration, declaration.getSourceFile())
        .replace(/^export |declare /g, '')
        .replace(/\s+/g, ' '),
    );
    return `${exported.name}: ${[...new Set(texts)].toSorted((a, b) => a.localeCompare(b)).join(' & ')}`;
  };

  const sections = entries.map(({ specifier, entry }) => {
    const file = program.getSourceFile(fileOf(entry));
    const module = file && checker.getSymbolAtLocation(file);
    if (!module) throw new Error(`${specifier} has no declarations`);
    const lines = checker.getExportsOfModule(module).map(declarationOf);
    return [`# ${specifier}`, ...lines.toSorted((a, b) => (a < b ? -1 : 1))].join('\n');
  });
  return `${sections.join('\n\n')}\n`;
};
