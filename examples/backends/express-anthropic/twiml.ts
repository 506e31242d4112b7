/**
 * Says something and listens: what the caller answers is posted to `/calls/turn`, also when it is nothing.
 * https://www.twilio.com/docs/voice/twiml/gather
 */
export const listen = (words: string): string =>
  `<Response><Gather input="speech" speechTimeout="auto" actionOnEmptyResult="true" action="/calls/turn"><Say>${escape(words)}</Say></Gather></Response>`;

/** The words are a model's, who may have read them somewhere. */
const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
