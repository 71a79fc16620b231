/** Settings of this user that change how connections are made. */
const CONNECTION = ["http_proxy", "https_proxy", "all_proxy", "no_proxy", "node_extra_ca_certs"];

/**
 * Runs something with these environment variables, and without this user's own settings for connections. They count for the
 * whole process, so nothing else may run beside it that reads them.
 */
export async function withEnvironment<T>(env: NodeJS.ProcessEnv, use: () => T | Promise<T>): Promise<T> {
  const ours = CONNECTION.flatMap((name) => [name, name.toUpperCase()]);
  const before = [...ours, ...Object.keys(env)].map((name) => [name, process.env[name]] as const);
  for (const name of ours) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, env);
  try {
    return await use();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  }
}
