/** The names under which a consumer installs the compilers that are supported. */
export const compilers = ['typescript-5.9', 'typescript-6', 'typescript-7'] as const;

/** What npm is to install for them: the last of 5.9, and those this project uses. */
export const compilersOf = (devDependencies: Readonly<Record<string, string>>): readonly string[] => [
  'typescript-5.9@npm:typescript@5.9.3',
  `typescript-6@npm:typescript@${devDependencies['typescript']}`,
  `typescript-7@${devDependencies['typescript-7']}`,
];

/** Strict, and without sparing the declaration files of packages. */
export const compilerOptions = {
  target: 'es2023',
  lib: ['es2023'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  rewriteRelativeImportExtensions: true,
} as const;

/** The two ways of finding a module that are current. */
export const moduleSettings = [
  { name: 'Node', args: ['--module', 'nodenext'] },
  { name: 'a bundler', args: ['--module', 'preserve', '--moduleResolution', 'bundler'] },
] as const;
