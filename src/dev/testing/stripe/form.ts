/** A value of a form: a text, an object or a list. */
export type FormValue = string | FormValue[] | { [name: string]: FormValue };

/** Reads `a=1&b[c]=2&d[0]=3&e[]=4`: brackets make objects, numbers and nothing make lists. */
export const readForm = (text: string): Readonly<Record<string, FormValue>> => {
  const form: Record<string, FormValue> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const steps = [/^[^[]*/.exec(name)?.[0] ?? '', ...[...name.matchAll(/\[([^\]]*)\]/g)].map(([, step = '']) => step)];
    put(form, steps, value);
  }
  return form;
};

type Holder = FormValue[] | Record<string, FormValue>;

const put = (holder: Holder, [step = '', ...deeper]: readonly string[], value: string): void => {
  // A list takes numbers as keys too.
  const target = holder as Record<string, FormValue>;
  const key = step === '' && Array.isArray(holder) ? String(holder.length) : step;
  const [next] = deeper;
  if (next === undefined) return void (target[key] = value);
  const inner = target[key] ?? (next === '' || /^\d+$/.test(next) ? [] : {});
  target[key] = inner;
  if (typeof inner === 'object') put(inner, deeper, value);
};
