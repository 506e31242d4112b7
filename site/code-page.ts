import { globSync, readFileSync, statSync } from 'node:fs';
import { extname, posix } from 'node:path';

/** Whether a file is read on the site, as a page, instead of being saved: examples, their folders, and the licence. */
export const isCode = (path: string): boolean => ['', '.ts', '.js'].includes(extname(path));

/** A page that shows a file, or the files of a folder one below the other. */
export const codePage = (path: string, root: URL): string => {
  if (!statSync(new URL(path, root)).isDirectory()) return `# ${posix.basename(path)}\n\n${block(path, root)}`;
  const files = globSync(`${path}/**/*.{ts,js}`, { cwd: root, exclude: (file) => file.endsWith('node_modules') })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => statSync(new URL(file, root)).isFile());
  const parts = files.toSorted().map((file) => `## ${posix.relative(path, file)}\n\n${block(file, root)}`);
  return `# ${posix.basename(path)}\n\n${parts.join('\n')}`;
};

const block = (path: string, root: URL) => {
  const language = extname(path).slice(1) || 'text';
  return `\`\`\`${language}\n${readFileSync(new URL(path, root), 'utf8').trimEnd()}\n\`\`\`\n`;
};
