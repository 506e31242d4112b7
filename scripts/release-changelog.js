/**
 * The changelog with what is under *Unreleased* under the heading of a version.
 * Where the version has its heading already, each group goes to the beginning of its group there.
 * @param {string} text
 * @param {{ readonly version: string, readonly date: string }} release
 */
export const releaseChangelog = (text, { version, date }) => {
  const [head = '', ...sections] = text.split(/^(?=## \[)/m);
  const unreleased = sections.find((section) => section.startsWith('## [Unreleased]'));
  if (unreleased === undefined) throw new Error('CHANGELOG.md has no section "## [Unreleased]".');
  const heading = `## [${version}] - ${date}`;
  const released = sections.find((section) => section.startsWith(`## [${version}]`)) ?? '';
  const merged = mergeGroups(groupsOf(unreleased), groupsOf(released));
  const others = sections.filter((section) => section !== unreleased && section !== released);
  return `${[head, '## [Unreleased]\n\n', `${heading}\n\n`, ...merged, ...others].join('').trimEnd()}\n`;
};

/** The groups of a section, such as "### Added" with its lines. @type {(section: string) => [string, string][]} */
const groupsOf = (section) =>
  section
    .split(/^### /m)
    .slice(1)
    .map((group) => {
      const [name = '', ...lines] = group.split('\n');
      return [name, lines.join('\n').trim()];
    });

/** @type {(first: [string, string][], then: [string, string][]) => string[]} */
const mergeGroups = (first, then) => {
  const names = [...new Set([...then, ...first].map(([name]) => name))];
  return names.map((name) => {
    const lines = [...first, ...then].flatMap(([group, text]) => (group === name && text !== '' ? [text] : []));
    return `### ${name}\n\n${lines.join('\n')}\n\n`;
  });
};
