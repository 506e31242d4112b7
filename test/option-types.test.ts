import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** Those that an application writes, though they're not called options. */
const alsoOptions = [
  'BillingDialect',
  'Destination',
  'FaultTiming',
  'HttpDialect',
  'Publication',
  'SignatureScheme',
  'ToolLimits',
];

const isOptions = (node: ts.Node): boolean => {
  if (ts.isInterfaceDeclaration(node))
    return node.name.text.endsWith('Options') || alsoOptions.includes(node.name.text);
  return ts.isParameter(node) && ts.isMethodSignature(node.parent) && node.questionToken !== undefined;
};

const takesUndefined = (type: ts.TypeNode): boolean =>
  (ts.isUnionTypeNode(type) ? type.types : [type]).some(
    ({ kind }) => kind === ts.SyntaxKind.UndefinedKeyword || kind === ts.SyntaxKind.UnknownKeyword,
  );

test('an option that may be left out may be undefined, for those who set exactOptionalPropertyTypes', () => {
  const found: string[] = [];
  for (const file of globSync('src/**/*.ts')) {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node, inOptions: boolean): void => {
      if (inOptions && ts.isPropertySignature(node) && node.questionToken && node.type && !takesUndefined(node.type))
        found.push(`${file}: ${node.name.getText(source)}`);
      // What a function of the application is given is for the package to fill in.
      if (!ts.isFunctionTypeNode(node)) ts.forEachChild(node, (child) => visit(child, inOptions || isOptions(node)));
    };
    visit(source, false);
  }
  expect(found).toEqual([]);
});
