/** Copies a body, with each E.164 number in a phone field written the way people type it. */
export const withFormattedPhones = (body: unknown): unknown => {
  if (Array.isArray(body)) return body.map(withFormattedPhones);
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      typeof value === 'string' && /phone$/i.test(name) ? formatted(value) : withFormattedPhones(value),
    ]),
  );
};

/** North American numbers without their country code, others in groups after it. */
const formatted = (phone: string): string =>
  phone.replace(/^\+1(\d{3})(\d{3})(\d{4})$/, '($1) $2-$3').replace(/^\+(\d{2})(\d{2})(\d{4})(\d+)$/, '+$1 $2 $3 $4');
