/** Headers as any framework holds them: the platform's `Headers`, Node's object, a map. */
export type HeaderSource =
  | { readonly get: (name: string) => string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The value of a header, given in lower case; repeated ones joined as RFC 9110, section 5.3 says. */
export const headerValue = (headers: HeaderSource, name: string): string | undefined => {
  if (hasGet(headers)) return headers.get(name) ?? undefined;
  const direct = Object.hasOwn(headers, name) ? headers[name] : undefined;
  const value = direct ?? Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : value?.join(', ');
};

const hasGet = (headers: HeaderSource): headers is { readonly get: (name: string) => string | null | undefined } =>
  typeof headers.get === 'function';
