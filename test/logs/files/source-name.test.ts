import { expect, test } from 'vitest';
import { freeName, shapeInName, sourceName } from '../../../src/logs/files/source-name.js';

test.each<[string, string | undefined, string]>([
  ['access_log', 'common', 'access_log'],
  ['error_log', 'apache-error', 'error_log'],
  ['PT1H.json', 'azure', 'azure'],
  ['billing.log', 'bunyan', 'billing'],
  ['caddy.log', 'caddy', 'caddy'],
  ['E2EXAMPLE1ABCD.2026-03-10-12.0a1b2c3d.gz', 'cloudfront', 'cloudfront'],
  ['payments.csv', 'csv', 'payments'],
  ['runserver.log', 'django-runserver', 'runserver'],
  ['console.log', 'dotnet-console', 'console'],
  ['shop-ecs.json', 'ecs', 'shop_ecs'],
  ['envoy-access.log', 'envoy', 'envoy_access'],
  ['fastly-edge.log', 'json', 'fastly_edge'],
  ['graylog.json', 'gelf', 'graylog'],
  ['gunicorn-access.log', 'combined', 'gunicorn_access'],
  ['haproxy.log', 'haproxy', 'haproxy'],
  ['journal.json', 'journald', 'journal'],
  ['journal.log', 'syslog', 'journal'],
  [
    'web-7d9f8b6c5-x2x4z_shop_web-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.log',
    'cri',
    'web',
  ],
  ['kubelet.log', 'klog', 'kubelet'],
  ['ingester.log', 'logfmt', 'ingester'],
  ['checkout.json', 'logstash', 'checkout'],
  ['pay.log', 'loguru', 'pay'],
  ['laravel-2026-03-10.log', 'monolog-line', 'laravel'],
  ['mysql-slow.log', 'mysql-slow', 'mysql_slow'],
  ['netlify.ndjson', 'json', 'netlify'],
  ['access.log', 'combined', 'access'],
  ['access.log.1', 'combined', 'access'],
  ['log20260310.txt', 'text', 'log'],
  ['u_ex260310.log', 'w3c', 'u_ex'],
  ['shop20.log', 'text', 'shop20'],
  ['access_json.log', 'nginx', 'access_json'],
  ['app.log', 'pino', 'app'],
  ['build-output.log', 'text', 'build_output'],
  ['postgresql-2026-03-10_120000.csv', 'postgres-csv', 'postgresql'],
  ['postgresql-2026-03-10_120000.log', 'postgres', 'postgresql'],
  ['jobs.log', 'python-basic', 'jobs'],
  ['worker.log', 'text', 'worker'],
  ['production.log', 'logstash', 'production'],
  ['production.log', 'ruby-logger', 'production'],
  ['redis-server.log', 'redis', 'redis_server'],
  ['2026-03-10-12-15-00-0A1B2C3D4E5F6789', 's3-access', 's3_access'],
  ['scheduler.json', 'slog', 'scheduler'],
  ['scheduler.log', 'logfmt', 'scheduler'],
  ['spring.log', 'spring-boot', 'spring'],
  ['messages.log', 'syslog', 'messages'],
  ['shop-rs.log', 'tracing-text', 'shop_rs'],
  ['both.log', 'json', 'both'],
  ['service.log', 'pino', 'service'],
  ['core.log', undefined, 'core'],
  ['audit.jsonl', 'pino', 'audit'],
  ['export.json', 'pino', 'export'],
  ['dump.json', 'pino', 'dump'],
  ['crash.log', 'text', 'crash'],
  ['requests.tsv', 'tsv', 'requests'],
  ['vercel.ndjson', 'vercel', 'vercel'],
  [
    '123456789012_vpcflowlogs_eu-west-1_fl-0123456789abcdef0_20260310T1200Z_0a1b2c3d.log.gz',
    'vpc-flow',
    'vpc_flow',
  ],
  ['combined.log', 'winston', 'combined'],
  ['shop.log', 'zap', 'shop'],
  // Rotation, extensions, ids, and what is no rotation.
  ['-', 'combined', 'stdin'],
  ['edge-logs.ndjson', undefined, 'edge_logs'],
  ['/var/log/nginx/access.log.2.gz', 'combined', 'access'],
  ['access.log-20260310.gz', 'combined', 'access'],
  ['catalina.2026-03-10.log', 'log4j', 'catalina'],
  ['app.2026-03-10.0.log.gz', 'logback', 'app'],
  ['app-2026031012.log', undefined, 'app'],
  ['web-1.log', undefined, 'web_1'],
  ['order-12345678.log', undefined, 'order_12345678'],
  ['api.pino.ndjson', 'pino', 'api'],
  ['my.app.log', 'pino', 'my_app'],
  ['Api.LOG', undefined, 'api'],
  ['.log', 'pino', 'pino'],
  ['---.log', 'pino', 'pino'],
  ['0.log', 'cri', 'cri'],
  ['0.log', undefined, '_0'],
  ['0123456789abcdef0123-json.log', 'docker', 'docker'],
  ['stream-1-2026-03-10-12-00-00-0a1b2c3d-0a1b-2c3d-4e5f-0a1b2c3d4e5f', 's3-access', 's3_access'],
  ['123456789012_CloudTrail_us-east-1_20260310T1200Z_AbCdEf.json.gz', 'cloudtrail', 'cloudtrail'],
  ['/var/log/nginx/', undefined, 'nginx'],
])('%s of shape %s is the source %s', (path, shape, source) => {
  expect(sourceName(path, shape).name).toBe(source);
});

test('only a known shape in the name counts', () => {
  const shapes = { pino: {} };
  expect(shapeInName('a/api.pino.log.1.gz', shapes)).toBe('pino');
  expect(shapeInName('api.other.log', shapes)).toBeUndefined();
  expect(shapeInName('pino.log', shapes)).toBeUndefined();
  expect(shapeInName('api.constructor.log', shapes)).toBeUndefined();
});

test('a name that is taken gets a number', () => {
  expect(freeName('a', new Set())).toBe('a');
  expect(freeName('a', new Set(['a', 'a_2']))).toBe('a_3');
});
