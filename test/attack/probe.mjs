/**
 * Loaded into an attacked service before its own code. Answers its parent with what the main thread, which receives, and
 * the whole process have used. The service itself knows nothing of it.
 */
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.send !== undefined) {
  process.on('message', (id) => {
    const receiving = process.threadCpuUsage();
    const whole = process.cpuUsage();
    process.send?.({
      id,
      receivingMs: (receiving.user + receiving.system) / 1000,
      wholeMs: (whole.user + whole.system) / 1000,
    });
  });
  process.channel?.unref();
}
