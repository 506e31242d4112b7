/**
 * Names the error that the application's own code threw, and its place: `TypeError at billing.ts:17:52`. Leaves out its
 * message, its folders, and values that aren't errors, which may be data. The place is missing if the stack doesn't say
 * it.
 */
export const thrownAt = (error: unknown): string => {
  const place = placeOfThrow(error);
  return `${nameOf(error)}${place === undefined ? '' : ` at ${place}`}`;
};

/** A name that is no identifier may be data too. */
const nameOf = (error: unknown): string => {
  try {
    if (!(error instanceof Error)) return `a value that is no error`;
    const { name } = error;
    return typeof name === 'string' && /^[A-Za-z_$][\w$]{0,60}$/.test(name) ? name : 'an error';
  } catch {
    return 'an error';
  }
};

const placeOfThrow = (error: unknown): string | undefined => {
  const places = framesOf(error).flatMap((frame) => placeOf(frame) ?? []);
  // A schema's own library throws, and the line that called it is what you can change.
  return (places.find(({ isInstalled }) => !isInstalled) ?? places[0])?.name;
};

const framesOf = (error: unknown): readonly string[] => {
  try {
    const { stack, message } = error as Partial<Error>;
    if (typeof stack !== 'string') return [];
    // A message may have lines that look like a stack, and may repeat data.
    const end = message ? stack.indexOf(message) : -1;
    const lines = (end < 0 ? stack : stack.slice(end + String(message).length)).split('\n').slice(-mostLines);
    const firstFrame = lines.findLastIndex((line) => line.trim() !== '' && !isFrame.test(line)) + 1;
    return lines.slice(firstFrame);
  } catch {
    return [];
  }
};

const mostLines = 200;

/** A place as V8 and Bun write it, or as Safari and Firefox do. */
const isFrame = /^\s*at |@(?:.*:\d+|\[native code\])$|^\S+:\d+:\d+$/;

/** Everything before the line and the column, at the end of a frame. */
const located = /^(.*?)(:\d+(?::\d+)?)\)*\s*$/;

const placeOf = (frame: string) => {
  // `eval at run (/app/billing.js:3:1), <anonymous>:1:7` is in that file.
  const [, , evalIn] = /eval at (.*?)\((.*?:\d+:\d+)\)/.exec(frame) ?? [];
  const [, before = '', position = ''] = located.exec(evalIn ?? frame) ?? [];
  if (position === '' || isInternal.test(before)) return undefined;
  const [path = ''] = before.split(/[?#]/);
  const name = path.split(/[/\\]/).at(-1) ?? '';
  const file = path === name ? name.replace(/^.*[\s(@]/, '') : name;
  if (!isFileName.test(file)) return undefined;
  return { name: `${file}${position}`, isInstalled: isInstalled.test(before) };
};

const isInternal = /\b(?:node|bun|ext|deno):|<anonymous>|native code/;
const isInstalled = /[/\\](?:node_modules|\.yarn|npm[/\\]registry\.[^/\\]+)[/\\]|\bnpm:/;
const isFileName = /^[\p{L}\p{N}_.@$()[\] +~-]{1,100}$/u;
