import type { NextConfig } from 'next';

const config: NextConfig = {
  // It starts a thread for SQLite from a file of its own.
  serverExternalPackages: ['voice-agent-integrations'],
};

export default config;
