// session-nova-sonic.ts
import { BedrockRuntimeClient, InvokeModelWithBidirectionalStreamCommand } from '@aws-sdk/client-bedrock-runtime';
import { novaSonic } from 'voice-agent-integrations/tools/nova-sonic';
import { toolsOf } from './agent.ts';

const tools = toolsOf({ callId: 'call_1', phone: '+14155550100' });
const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
const { readable, writable } = new TransformStream<object, { chunk: { bytes: Uint8Array } }>({
  transform: (event, to) => to.enqueue({ chunk: { bytes: encoder.encode(JSON.stringify({ event })) } }),
});
const writer = writable.getWriter();
const send = (...events: object[]) => {
  for (const event of events) void writer.write(event);
};

const promptName = 'call_1';
const system = { promptName, contentName: 'system' };
const audio = {
  mediaType: 'audio/lpcm',
  sampleRateHertz: 8000,
  sampleSizeBits: 16,
  channelCount: 1,
  audioType: 'SPEECH',
  encoding: 'base64',
};
const text = { mediaType: 'text/plain' };
send(
  { sessionStart: { inferenceConfiguration: { maxTokens: 1024, topP: 0.9, temperature: 0.7 } } },
  {
    promptStart: {
      promptName,
      textOutputConfiguration: text,
      audioOutputConfiguration: { ...audio, voiceId: 'matthew' },
      toolUseOutputConfiguration: { mediaType: 'application/json' },
      toolConfiguration: novaSonic.tools(tools),
    },
  },
  { contentStart: { ...system, type: 'TEXT', interactive: false, role: 'SYSTEM', textInputConfiguration: text } },
  { textInput: { ...system, content: 'You answer the phone of a bakery.' } },
  { contentEnd: system },
  {
    contentStart: {
      promptName,
      contentName: 'caller',
      type: 'AUDIO',
      interactive: true,
      role: 'USER',
      audioInputConfiguration: audio,
    },
  },
);
// Then the caller's audio, as audioInput with contentName 'caller'. To hang up: contentEnd, promptEnd, sessionEnd.

const { body = [] } = await new BedrockRuntimeClient({ region: 'us-east-1' }).send(
  new InvokeModelWithBidirectionalStreamCommand({ modelId: 'amazon.nova-2-sonic-v1:0', body: readable }),
);
for await (const { chunk } of body) {
  const { event } = JSON.parse(decoder.decode(chunk?.bytes));
  console.log(Object.keys(event).join()); // the model's audio is audioOutput
  if (event.toolUse)
    void novaSonic.run(tools, event.toolUse).then((results) => send(...results.map((each) => each.event)));
}
