import { nodeCrypto } from '../node-crypto.ts';

/** 32 hexadecimal digits that stand for a value and do not tell it. The order of fields counts. */
export const digest = (value: unknown): string =>
  nodeCrypto().createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
