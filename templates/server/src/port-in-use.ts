/** Ends with a sentence where the port is taken; other errors are thrown again. */
export const explainPort = (error: NodeJS.ErrnoException): never => {
  if (error.code !== 'EADDRINUSE') throw error;
  const { PORT = '3000' } = process.env;
  console.error(`Port ${PORT} is in use: end what listens there, or start with another one, such as PORT=3001.`);
  process.exit(1);
};
