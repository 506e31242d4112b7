export { goneContact, type GoneContact, hasIntercomCode, type IntercomErrorCode } from './errors.ts';
export { intercom, type IntercomOptions, type IntercomPreset, type IntercomRegion } from './preset.ts';
