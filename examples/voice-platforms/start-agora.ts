// start-agora.ts
import { fromEnv } from 'voice-agent-integrations/auth';
import { toolsOf } from './agent.ts';

const call = { callId: 'call_1', phone: '+14155550100' };
const tools = {
  name: 'tools',
  endpoint: 'https://agent.example.com',
  transport: 'streamable_http',
  headers: {
    authorization: `Bearer ${fromEnv('TOOLS_SECRET')()}`,
    'x-call-id': call.callId, // yours, another one for each phone call
    'x-caller': call.phone,
  },
  allowed_tools: toolsOf(call)
    .tools()
    .map(({ name }) => name),
  timeout_ms: 15_000, // more than the tools' own deadline
};
const response = await fetch(
  `https://api.agora.io/api/conversational-ai-agent/v2/projects/${fromEnv('AGORA_APP_ID')()}/join`,
  {
    method: 'POST',
    headers: { authorization: `Basic ${fromEnv('AGORA_CREDENTIALS')()}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: call.callId,
      properties: {
        channel: call.callId,
        token: fromEnv('AGORA_RTC_TOKEN')(),
        agent_rtc_uid: '0',
        remote_rtc_uids: ['1002'],
        advanced_features: { enable_tools: true },
        llm: {
          url: 'https://api.openai.com/v1/chat/completions',
          api_key: fromEnv('OPENAI_API_KEY')(),
          params: { model: 'gpt-4o-mini' },
          mcp_servers: [tools],
        },
        asr: { language: 'en-US' },
        tts: {
          vendor: 'openai',
          params: {
            base_url: 'https://api.openai.com/v1',
            api_key: fromEnv('OPENAI_API_KEY')(),
            model: 'gpt-4o-mini-tts',
            voice: 'coral',
          },
        },
      },
    }),
  },
);
console.log(response.status, await response.json());
