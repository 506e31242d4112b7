import { parseJson } from '../../stores/ports/json.ts';

/** What a text says as JSON; `undefined` when it is none. */
export const jsonOf = (text: string): unknown => {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
};
