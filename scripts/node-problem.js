/**
 * One line saying why the tools of this repository cannot run on this Node, or `undefined` when they can.
 * They need 22.18, the first that runs TypeScript; the built package itself is content with less.
 * @param {string} version such as `22.18.0`
 * @returns {string | undefined}
 */
export const nodeProblem = (version) => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return undefined;
  return `This needs Node 22.18 or newer and runs on ${version}. \`npm ci\` brings one along, unless install scripts are blocked: run \`npm rebuild node --ignore-scripts=false\`, or use a newer Node.`;
};
