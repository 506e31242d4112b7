/**
 * @typedef {object} BuiltFile
 * @property {number} bytes
 * @property {readonly string[]} imports files that importing this one loads
 * @property {readonly string[]} packages what else it loads: packages, and marks such as that of zod
 * @property {readonly string[]} names what it exports
 * @property {boolean} isChunk made by the bundler, so that nobody else knows its name
 */

/** @typedef {ReadonlyMap<string, BuiltFile>} BuiltFiles by path */

/**
 * What a file costs when it is imported, in bytes of code that take as long: about half a millisecond. Twice as much
 * as measured would join what most entries do not need; half as much would leave dozens of files.
 */
const bytesPerFile = 16000;

/**
 * Decides which chunks become one file, so that what the entries load together costs least. esbuild cuts the code into a
 * chunk for each set of entries that share it, two dozen for one client. Joining two makes some entries load what they
 * do not need: that is weighed against the file that all others save. No entry is made to load a package for it, and no
 * circle appears.
 * @param {BuiltFiles} files
 * @param {(entry: string) => number} weightOf how much an entry counts
 * @returns {readonly (readonly string[])[]} the chunks of each new file
 */
export const planChunks = (files, weightOf) => {
  /** @type {Map<string, readonly string[]>} */
  const groups = new Map();
  let plan = files;
  for (;;) {
    const best = bestPair(plan, weightOf);
    if (!best) return [...groups.values()];
    const [one, other] = best;
    groups.set(one, [...(groups.get(one) ?? [one]), ...(groups.get(other) ?? [other])]);
    groups.delete(other);
    plan = joined(plan, one, other);
  }
};

/** The pair of chunks that saves most when it is joined. @type {(files: BuiltFiles, weightOf: (entry: string) => number) => readonly [string, string] | undefined} */
const bestPair = (files, weightOf) => {
  const entries = [...files].filter(([, { isChunk }]) => !isChunk).map(([file]) => file);
  const loaded = entries.map((entry) => closureOf(entry, files));
  const packages = loaded.map((closure) => new Set([...closure].flatMap((file) => files.get(file)?.packages ?? [])));
  const reached = new Map([...files.keys()].map((file) => [file, closureOf(file, files)]));
  const chunks = [...files].filter(([, { isChunk }]) => isChunk).map(([file]) => file);

  /** What joining them saves over all entries; `undefined` where it may not be. @type {(one: string, other: string) => number | undefined} */
  const saved = (one, other) => {
    if (isCircle(one, other, files, reached) || shareName(one, other, files)) return undefined;
    let bytes = 0;
    for (const [at, closure] of loaded.entries()) {
      const weight = weightOf(entries[at] ?? '');
      if (!closure.has(one) && !closure.has(other)) continue;
      // The two of them are one file from now on.
      bytes += weight * bytesPerFile;
      for (const added of reached.get(closure.has(one) ? other : one) ?? []) {
        if (closure.has(added)) continue;
        const { bytes: size = 0, packages: needed = [] } = files.get(added) ?? {};
        if (!needed.every((name) => packages[at]?.has(name))) return undefined;
        bytes -= weight * (size + bytesPerFile);
      }
    }
    return bytes;
  };

  /** @type {readonly [string, string] | undefined} */
  let best;
  let most = 0;
  for (const [at, one] of chunks.entries())
    for (const other of chunks.slice(at + 1)) {
      const bytes = saved(one, other);
      if (bytes === undefined || bytes <= most) continue;
      most = bytes;
      best = [one, other];
    }
  return best;
};

/** Whether one leads to the other by way of a third file. @type {(one: string, other: string, files: BuiltFiles, reached: ReadonlyMap<string, ReadonlySet<string>>) => boolean} */
const isCircle = (one, other, files, reached) => {
  const leads = (/** @type {string} */ from, /** @type {string} */ to) =>
    (files.get(from)?.imports ?? []).some((next) => next !== to && reached.get(next)?.has(to));
  return leads(one, other) || leads(other, one);
};

/** @type {(one: string, other: string, files: BuiltFiles) => boolean} */
const shareName = (one, other, files) => {
  const names = new Set(files.get(one)?.names);
  return (files.get(other)?.names ?? []).some((name) => names.has(name));
};

/** Every file that importing this one loads. @type {(file: string, files: BuiltFiles) => ReadonlySet<string>} */
const closureOf = (file, files) => {
  const found = new Set([file]);
  for (const from of found) for (const next of files.get(from)?.imports ?? []) found.add(next);
  return found;
};

/** The other stands within the first from now on. @type {(files: BuiltFiles, one: string, other: string) => BuiltFiles} */
const joined = (files, one, other) => {
  const first = files.get(one);
  const second = files.get(other);
  if (!first || !second) return files;
  const union = (/** @type {readonly string[]} */ a, /** @type {readonly string[]} */ b) => [...new Set([...a, ...b])];
  const renamed = new Map(
    [...files].map(([file, each]) => {
      const imports = [...new Set(each.imports.map((path) => (path === other ? one : path)))];
      return [file, { ...each, imports: imports.filter((path) => path !== file) }];
    }),
  );
  renamed.delete(other);
  return renamed.set(one, {
    ...first,
    bytes: first.bytes + second.bytes,
    imports: union(first.imports, second.imports).filter((path) => path !== one && path !== other),
    packages: union(first.packages, second.packages),
    names: union(first.names, second.names),
  });
};
