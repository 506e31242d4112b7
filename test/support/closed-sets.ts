import { join } from 'node:path';
import ts from 'typescript';

/** A closed set of words that an application writes. */
export interface ClosedSet {
  /** The function that takes it: an exported one such as `createBillingClient`, or a method such as `Outbox.publish`. */
  readonly owner: string;
  /** The place in its arguments: `options.payments.confirm`. `[]` is an entry of a list or map, `()` what a callback answers. */
  readonly path: string;
  /** The interface and the field that declare it, such as `PaymentToolOptions.confirm`. */
  readonly declared: string;
  readonly words: readonly string[];
}

interface Walk {
  readonly owner: string;
  readonly path: string;
  readonly declared: string;
  readonly seen: readonly ts.Type[];
}

/**
 * The closed sets in the declarations of a package: in the arguments of what it exports and of the methods of what that
 * returns, and in the answers of callbacks. `skips` are the types that the package makes itself.
 */
export const closedSetsIn = (
  folder: string,
  entries: readonly string[],
  skips: ReadonlySet<string>,
): readonly ClosedSet[] => {
  const rootNames = entries.map((entry) => join(folder, `${entry}.d.ts`));
  const program = ts.createProgram({
    rootNames,
    options: {
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2023,
      lib: ['lib.esnext.d.ts'],
      strict: true,
      skipLibCheck: true,
      types: [],
    },
  });
  const checker = program.getTypeChecker();
  const found = new Map<string, ClosedSet>();
  const walked = new Set<ts.Type>();

  /** `Partial` and its like are declared by TypeScript, and their fields by us. */
  const isOurs = (type: ts.Type): boolean => {
    if ('objectFlags' in type && Number(type.objectFlags) & ts.ObjectFlags.Mapped) return true;
    const declaration = (type.aliasSymbol ?? type.symbol)?.declarations?.[0];
    return !declaration || declaration.getSourceFile().fileName.startsWith(folder);
  };
  const isSkipped = (type: ts.Type): boolean =>
    [type.aliasSymbol, type.symbol].some((symbol) => symbol && skips.has(plain(symbol.name)));

  const readInput = (given: ts.Type, walk: Walk): void => {
    const type = checker.getBaseConstraintOfType(given) ?? given;
    const members = type.isUnion() ? type.types : [type];
    const words = members.flatMap((member) => (member.isStringLiteral() ? [member.value] : []));
    // `string & {}` lets an editor offer words of an open set.
    const isOpen = members.some((member) => member.isIntersection() && member.types.some(isString));
    if (words.length > 0 && !isOpen) {
      const { owner, path, declared } = walk;
      found.set(`${owner} ${path}`, { owner, path, declared, words });
    }
    for (const member of members) readParts(member, walk);
  };

  const readParts = (type: ts.Type, walk: Walk): void => {
    if (type.flags & notAnObject || walk.seen.includes(type) || isSkipped(type)) return;
    const next = { ...walk, seen: [...walk.seen, type] };
    if (checker.isArrayType(type) || checker.isTupleType(type)) {
      for (const entry of checker.getTypeArguments(type as ts.TypeReference))
        readInput(entry, { ...next, path: `${walk.path}[]` });
      return;
    }
    const calls = type.getCallSignatures();
    for (const call of calls)
      readInput(awaited(call.getReturnType()), { ...next, path: `${walk.path}()`, declared: `${walk.declared}()` });
    if (calls.length > 0 || !(isOurs(type) || type.isIntersection())) return;
    for (const property of type.getProperties())
      readInput(checker.getTypeOfSymbol(property), {
        ...next,
        path: walk.path === '' ? property.name : `${walk.path}.${property.name}`,
        declared: declaredIn(property),
      });
    for (const { type: entry } of checker.getIndexInfosOfType(type))
      readInput(entry, { ...next, path: `${walk.path}[]` });
  };

  const awaited = (type: ts.Type): ts.Type => checker.getAwaitedType(type) ?? type;

  /** The arguments, and the methods of what is returned. */
  const readSignature = (signature: ts.Signature, owner: string): void => {
    for (const [index, parameter] of signature.getParameters().entries())
      readInput(checker.getTypeOfSymbol(parameter), {
        owner,
        path: String(index),
        declared: `${owner}(${index})`,
        seen: [],
      });
    readOutput(awaited(signature.getReturnType()), owner, true);
  };

  const readOutput = (given: ts.Type, owner: string, isReturned = false): void => {
    for (const type of given.isUnion() ? given.types : [given]) {
      if (type.flags & notAnObject || walked.has(type) || !(isOurs(type) || type.isIntersection())) continue;
      walked.add(type);
      for (const call of type.getCallSignatures()) readSignature(call, isReturned ? `${owner}()` : owner);
      for (const property of type.getProperties()) {
        if (calledByUs.has(property.name)) continue;
        const name = type.getCallSignatures().length > 0 ? owner : nameOf(type, owner);
        readOutput(awaited(checker.getTypeOfSymbol(property)), `${name}.${property.name}`);
      }
    }
  };

  for (const rootName of rootNames) {
    const file = program.getSourceFile(rootName);
    const module = file && checker.getSymbolAtLocation(file);
    if (!module) throw new Error(`${rootName} has no declarations`);
    for (const exported of checker.getExportsOfModule(module)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      if (!(symbol.flags & ts.SymbolFlags.Value)) continue;
      const type = checker.getTypeOfSymbol(symbol);
      for (const signature of type.getCallSignatures()) readSignature(signature, exported.name);
      if (type.getCallSignatures().length === 0 && type.getConstructSignatures().length === 0)
        readOutput(type, exported.name);
    }
  }
  return [...found.values()];
};

const notAnObject =
  ts.TypeFlags.StringLike |
  ts.TypeFlags.NumberLike |
  ts.TypeFlags.BooleanLike |
  ts.TypeFlags.BigIntLike |
  ts.TypeFlags.ESSymbolLike |
  ts.TypeFlags.Void |
  ts.TypeFlags.Undefined |
  ts.TypeFlags.Null |
  ts.TypeFlags.Any |
  ts.TypeFlags.Unknown |
  ts.TypeFlags.Never;

/** The parts of returned values that the package itself calls. */
const calledByUs: ReadonlySet<string> = new Set(['dialect', 'options', 'onEvent', 'startSpan', 'check']);

const isString = (type: ts.Type): boolean => (type.flags & ts.TypeFlags.String) !== 0;

/** A bundle may number a name that two of its files have. */
const plain = (name: string): string => name.replace(/\$\d+$/, '');

const nameOf = (type: ts.Type, owner: string): string => {
  const name = plain((type.aliasSymbol ?? type.symbol)?.name ?? '__type');
  return name.startsWith('__') ? owner : name;
};

/** The interface or type that declares a field, and its path within. */
const declaredIn = (property: ts.Symbol): string => {
  let name = property.name;
  for (let node: ts.Node | undefined = property.declarations?.[0]?.parent; node; node = node.parent) {
    if (ts.isPropertySignature(node)) name = `${node.name.getText()}.${name}`;
    else if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node))
      return `${plain(node.name.text)}.${name}`;
    else if (ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node))
      return `${node.name?.getText() ?? ''}.${name}`;
  }
  return name;
};
