/** The longest body that is read. What a caller says in one turn is far shorter. */
const maximumBytes = 100 * 1024;

/** What a request says, read no further than the limit: `undefined` where it isn't JSON. */
export const readJson = async (
  request: Request,
): Promise<{ isTooLarge: true } | { isTooLarge: false; json: unknown }> => {
  if (Number(request.headers.get('content-length') ?? 0) > maximumBytes) return { isTooLarge: true };
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
    size += read.value.byteLength;
    if (size > maximumBytes) {
      void reader?.cancel().catch(() => undefined);
      return { isTooLarge: true };
    }
    chunks.push(read.value);
  }
  try {
    return { isTooLarge: false, json: JSON.parse(Buffer.concat(chunks).toString()) };
  } catch {
    return { isTooLarge: false, json: undefined };
  }
};
