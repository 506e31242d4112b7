/** Node's cryptography, loaded when it is first needed: that takes longer than to load a client. */
export const nodeCrypto = () => process.getBuiltinModule('node:crypto');
