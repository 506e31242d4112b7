/** Gives names that are free, and valid in code. */
export interface Names {
  /** The name, or one with a number behind it where it's taken. */
  readonly take: (wanted: string) => string;
}

export const createNames = (taken: readonly string[]): Names => {
  const used = new Set(taken);
  /** The number that was tried last. */
  const counts = new Map<string, number>();
  return {
    take: (wanted) => {
      let name = wanted;
      let count = counts.get(wanted) ?? 1;
      for (; used.has(name); name = `${wanted}${count}`) count += 1;
      counts.set(wanted, count);
      used.add(name);
      return name;
    },
  };
};

/** `Show_contact.byId` is `showContactById`; an empty text for a name without letters. */
export const camelCase = (text: string): string => {
  const words = text
    .slice(0, longestName)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  const name = words
    .map((word, index) =>
      index === 0 ? word.toLowerCase() : word.charAt(0).toUpperCase() + word.slice(1).toLowerCase(),
    )
    .join('');
  return /^\d/.test(name) ? `_${name}` : name;
};

const longestName = 200;

/** `ordersApi` is `ORDERS_API`. */
export const constantCase = (name: string): string => name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();

/** The names that code may not use for a constant. */
export const reservedWords: readonly string[] =
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof undefined var void while with yield globalThis Object Array String Number Boolean Date Error Promise Map Set btoa'.split(
    ' ',
  );
