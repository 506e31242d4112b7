import ts from 'typescript';

/**
 * Marks the calls that a file makes when it is loaded, so that a bundler leaves out those whose result nobody uses: an
 * application is not given the schemas of what it does not use, and zod with them. They may be left out, since
 * package.json says that nothing here has side effects.
 * @param {string} text a TypeScript file
 */
export const markPureCalls = (text) => {
  /** @type {number[]} */
  const places = [];
  const mark = (/** @type {ts.Node} */ node) => {
    if (ts.isFunctionLike(node) || ts.isClassLike(node)) return;
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) places.push(node.getStart());
    ts.forEachChild(node, mark);
  };
  for (const statement of ts.createSourceFile('any.ts', text, ts.ScriptTarget.Latest, true).statements)
    if (ts.isVariableStatement(statement)) mark(statement);
  // A chain of calls begins at one place, and the mark there is for the whole of it.
  return [...new Set(places)]
    .toSorted((a, b) => b - a)
    .reduce((marked, place) => `${marked.slice(0, place)}/* @__PURE__ */ ${marked.slice(place)}`, text);
};
