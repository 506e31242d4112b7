import { join } from 'node:path';
import ts from 'typescript';

/** Returns an editor's text for an export and for its call. */
export interface QuickInfo {
  readonly specifier: string;
  readonly name: string;
  /** The signature, then each property of the options that it takes. */
  readonly shown: readonly string[];
}

/** Asks the compiler, as an editor does, about every value that these imports give in a project. */
export const quickInfoOf = (project: string, specifiers: readonly string[]): readonly QuickInfo[] => {
  const file = join(project, 'every-import.ts');
  const text = specifiers.map((specifier, index) => `import * as all${index} from '${specifier}';\n`).join('');
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts'],
    module: ts.ModuleKind.NodeNext,
    types: ['node'],
    strict: true,
    skipLibCheck: true,
  };
  const host = ts.createCompilerHost(options);
  const source = ts.createSourceFile(file, text, {
    languageVersion: ts.ScriptTarget.ES2023,
    impliedNodeFormat: ts.ModuleKind.ESNext,
  });
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) => (name === file ? source : getSourceFile.call(host, name, ...rest));
  const program = ts.createProgram([file], { ...options, typeRoots: [join(project, 'node_modules/@types')] }, host);
  const checker = program.getTypeChecker();

  return source.statements.filter(ts.isImportDeclaration).flatMap((statement, index) => {
    const module = checker.getSymbolAtLocation(statement.moduleSpecifier);
    if (!module) throw new Error(`${specifiers[index]} is not found`);
    return checker.getExportsOfModule(module).flatMap((exported) => {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      if (!(symbol.flags & ts.SymbolFlags.Value)) return [];
      const type = checker.getTypeOfSymbolAtLocation(symbol, statement);
      const parameters = type.getCallSignatures().flatMap((signature) => signature.parameters);
      const properties = parameters.flatMap((parameter) =>
        checker.getTypeOfSymbolAtLocation(parameter, statement).getProperties().filter(isOurs),
      );
      const typesOf = properties.map((property) => {
        const shown = checker.typeToString(checker.getTypeOfSymbolAtLocation(property, statement), statement);
        return `${property.name}: ${shown}`;
      });
      const shown = [checker.typeToString(type, statement, ts.TypeFormatFlags.NoTruncation), ...typesOf];
      return [{ specifier: specifiers[index] ?? '', name: exported.name, shown }];
    });
  });
};

/** Not of the language, such as the methods of an array. */
const isOurs = ({ declarations = [] }: ts.Symbol) =>
  declarations.some((declaration) => declaration.getSourceFile().fileName.includes('/voice-agent-integrations/'));
