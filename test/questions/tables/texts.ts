import { asc, count, desc, distinct, groupBy, mean, present, sort, sum } from '../lists.js';
import type { Question } from '../question.js';

const requests = `from edge_logs as t
      cross join unnest(t.metadata) as m
      cross join unnest(m.request) as request`;

/** Counts of a text, most frequent first. */
function counted<const N extends string>(name: N, texts: readonly (string | null)[], limit = 1000) {
  return sort(
    [...groupBy(texts, (text) => text)].map(([text, { length }]) => ({ text, n: length })),
    desc(({ n }) => n),
    asc(({ text }) => text),
  )
    .slice(0, limit)
    .map(({ text, n }) => ({ [name]: text, n }));
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();

/** Strings, patterns, URLs and addresses. */
export const texts: readonly Question[] = [
  {
    ask: 'Which parameters do query strings have, and how often?',
    sql: `select split(pair, '=')[offset(0)] as name, count(*) as n
      ${requests} cross join unnest(split(substr(request.search, 2), '&')) as pair
      group by name order by n desc, name`,
    answer: ({ edge }) => {
      const pairs = present(edge.map(({ search }) => search)).flatMap((text) =>
        text.slice(1).split('&'),
      );
      return counted(
        'name',
        pairs.map((pair) => pair.split('=')[0] ?? ''),
      );
    },
  },
  {
    ask: 'Which values has the parameter "limit" or "grant_type" of a URL?',
    sql: `select regexp_extract(request.url, r'[?&](?:limit|grant_type)=([^&]+)') as value, count(*) as n
      ${requests} group by value order by n desc, value`,
    answer: ({ edge }) =>
      counted(
        'value',
        edge.map(({ url }) => {
          const query = new URL(url).searchParams;
          return query.get('limit') ?? query.get('grant_type');
        }),
      ),
  },
  {
    ask: 'Which hosts are asked, and which top-level domain do they have?',
    sql: `select net.host(request.url) as host, array_reverse(split(net.host(request.url), '.'))[offset(0)] as tld, count(*) as n
      ${requests} group by 1, 2`,
    answer: ({ edge }) =>
      [...groupBy(edge, ({ url }) => new URL(url).host)].map(([host, { length: n }]) => ({
        host,
        tld: host.split('.').at(-1) ?? '',
        n,
      })),
  },
  {
    ask: 'How many requests does each resource of the REST API have, without its prefix?',
    sql: `select replace(request.path, '/rest/v1/', '') as resource, count(*) as n
      ${requests} where regexp_contains(request.path, '^/rest/v1/[a-z]+$')
      group by resource order by n desc, resource`,
    answer: ({ edge }) =>
      counted(
        'resource',
        edge
          .filter(({ path }) => path.startsWith('/rest/v1/') && path.split('/').length === 4)
          .map(({ path }) => path.split('/')[3] ?? ''),
      ),
  },
  {
    ask: 'Which extensions do the requested files have?',
    sql: `select lower(regexp_extract(request.path, '\\\\.([^./]+)$')) as extension, count(*) as n
      ${requests} where request.path like '%.%' group by extension order by n desc, extension`,
    answer: ({ edge }) =>
      counted(
        'extension',
        edge
          .filter(({ path }) => path.includes('.'))
          .map(({ path }) => path.split('.').at(-1)?.toLowerCase() ?? null),
      ),
  },
  {
    ask: 'Which clients send the requests, by name and version of the user agent?',
    sql: `select split(h.user_agent, '/')[safe_offset(0)] as client,
        regexp_extract(h.user_agent, r'^[^/]+/([0-9.]+)') as version, count(*) as n
      ${requests} cross join unnest(request.headers) as h
      group by client, version order by n desc, client`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ agent }) => agent.split(/[ (]/)[0] ?? '')].map(
          ([agent, { length: n }]) => ({
            client: agent.split('/')[0] ?? '',
            version: agent.split('/')[1] ?? '',
            n,
          }),
        ),
        desc(({ n }) => n),
        asc(({ client }) => client),
      ),
  },
  {
    ask: 'How many requests come from browsers, and on which system do they run?',
    sql: `select case
          when user_agent like '%Windows%' then 'Windows'
          when contains_substr(user_agent, 'mac os x') then 'macOS'
          else 'unknown' end as system, count(*) as n
      ${requests} cross join unnest(request.headers)
      where starts_with(user_agent, 'Mozilla/') group by system order by system`,
    answer: ({ edge }) =>
      sort(
        counted(
          'system',
          edge
            .filter(({ agent }) => agent.startsWith('Mozilla/'))
            .map(({ agent }) =>
              agent.includes('Windows')
                ? 'Windows'
                : agent.includes('Mac OS X')
                  ? 'macOS'
                  : 'unknown',
            ),
        ),
        asc((row) => row['system'] ?? null),
      ),
  },
  {
    ask: 'How many distinct IPv4 networks of 24 bits and IPv6 addresses are there?',
    sql: `select count(distinct if(h.x_real_ip like '%.%', regexp_replace(h.x_real_ip, r'\\.\\d+$', '.0/24'), null)) as v4,
        count(distinct if(strpos(h.x_real_ip, ':') > 0, h.x_real_ip, null)) as v6
      ${requests} cross join unnest(request.headers) as h`,
    answer: ({ edge }) => {
      const addresses = distinct(edge.map(({ ip }) => ip));
      const v4 = addresses
        .filter((ip) => ip.includes('.'))
        .map((ip) => ip.split('.').slice(0, 3).join('.'));
      return [{ v4: distinct(v4).length, v6: count(addresses, (ip) => ip.includes(':')) }];
    },
  },
  {
    ask: 'Which addresses are in 192.0.2.0/25, by bits of the address, and how many requests do they send?',
    sql: `select h.x_real_ip as ip, count(*) as n
      ${requests} cross join unnest(request.headers) as h
      where h.x_real_ip not like '%:%'
        and net.ip_trunc(net.safe_ip_from_string(h.x_real_ip), 25) = net.ip_from_string('192.0.2.0')
      group by ip order by n desc, ip limit 5`,
    answer: ({ edge }) =>
      counted(
        'ip',
        edge
          .map(({ ip }) => ip)
          .filter((ip) => ip.startsWith('192.0.2.') && Number(ip.split('.')[3]) < 128),
        5,
      ),
  },
  {
    ask: 'Do the parts of the message of a request agree with its address and URL, per status?',
    sql: `select trim(parts[offset(1)]) as status, parts[safe_offset(2)] = h.x_real_ip as same_address,
        countif(parts[safe_offset(4)] = request.url) as same_url, count(*) as n
      from (select *, split(event_message, ' | ') as parts from edge_logs) as t
      cross join unnest(t.metadata) as m cross join unnest(m.request) as request cross join unnest(request.headers) as h
      group by 1, 2 order by 1, 2`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ status }) => `${status}`)],
        asc(([status]) => status),
      ).map(([status, { length: n }]) => ({ status, same_address: true, same_url: n, n })),
  },
  {
    ask: 'How long are the messages of the database, at least, at most, in the mean, and in bytes?',
    sql: `select min(char_length(event_message)) as shortest, max(length(event_message)) as longest,
        avg(length(event_message)) as average, sum(byte_length(event_message)) as bytes,
        sum(length(event_message)) as characters
      from db_logs`,
    answer: ({ db }) => {
      const sizes = db.map(({ message }) => message.length).sort((a, b) => a - b);
      return [
        {
          shortest: sizes[0] ?? 0,
          longest: sizes.at(-1) ?? 0,
          average: mean(sizes),
          bytes: sum(db.map(({ message }) => Buffer.byteLength(message))),
          characters: sum(sizes),
        },
      ];
    },
  },
  {
    ask: 'What are the shapes of the database messages when numbers are replaced by "#"?',
    sql: `select regexp_replace(event_message, r'[0-9]+(\\.[0-9]+)?', '#') as shape, count(*) as n
      from db_logs group by shape order by n desc, shape`,
    answer: ({ db }) =>
      counted(
        'shape',
        db.map(({ message }) => message.replaceAll(/\d+(\.\d+)?/g, '#')),
      ),
  },
  {
    ask: 'How long did slow statements take, read from the message?',
    sql: `select count(*) as n, max(ms) as slowest, sum(ms) as total
      from (
        select cast(regexp_extract(event_message, r'duration: ([\\d.]+) ms') as numeric) as ms
        from db_logs where event_message like 'duration:%'
      )`,
    answer: ({ db }) => {
      const thousandths = db.flatMap(({ message }) => {
        const [, ms] = /^duration: ([\d.]+) ms/.exec(message) ?? [];
        return ms === undefined ? [] : [Math.round(Number(ms) * 1000)];
      });
      const print = (value: number) => `${value / 1000}`;
      const total = sum(thousandths);
      return [
        {
          n: thousandths.length,
          slowest: print(thousandths.toSorted((a, b) => b - a)[0] ?? 0),
          total: print(total),
        },
      ];
    },
  },
  {
    ask: 'From which table do the logged statements read?',
    sql: `select regexp_extract(p.query, r'(?i)\\bFROM\\s+(\\w+)') as table_name, count(*) as n
      from db_logs cross join unnest(metadata) as m cross join unnest(m.parsed) as p
      where p.query is not null group by table_name order by n desc, table_name`,
    answer: ({ db }) =>
      counted(
        'table_name',
        present(db.map(({ query }) => query)).map((query) => query.split(' ')[3] ?? ''),
      ),
  },
  {
    ask: 'Which given names do users have, in capitals, from the part of their address before the first dot?',
    sql: `select initcap(split(e.actor_username, '.')[offset(0)]) as name,
        upper(left(e.actor_username, 1)) as letter, count(distinct e.actor_username) as users
      from auth_logs, unnest(metadata) m, unnest(m.auth_event) e
      group by 1, 2 order by users desc, name`,
    answer: ({ auth }) =>
      sort(
        [
          ...groupBy(distinct(present(auth.map(({ email }) => email))), (email) =>
            capitalized(email.split('.')[0] ?? ''),
          ),
        ].map(([name, { length }]) => ({ name, letter: name.charAt(0), users: length })),
        desc(({ users }) => users),
        asc(({ name }) => name),
      ),
  },
  {
    ask: 'How many users have an address at each domain, and how does the address look with its name hidden?',
    sql: `select substr(email, strpos(email, '@') + 1) as domain, count(*) as users,
        min(concat(substr(email, 1, 2), repeat('*', strpos(email, '@') - 3), substr(email, instr(email, '@')))) as hidden
      from (select distinct e.actor_username as email from auth_logs, unnest(metadata) m, unnest(m.auth_event) e)
      where email is not null
      group by domain order by domain`,
    answer: ({ auth }) => {
      const emails = distinct(present(auth.map(({ email }) => email)));
      return sort(
        [...groupBy(emails, (email) => email.split('@')[1] ?? '')],
        asc(([domain]) => domain),
      ).map(([domain, items]) => ({
        domain,
        users: items.length,
        hidden:
          items
            .map((email) => {
              const at = [...email].indexOf('@');
              return `${[...email].slice(0, 2).join('')}${'*'.repeat(at - 2)}@${domain}`;
            })
            .sort()[0] ?? '',
      }));
    },
  },
  {
    ask: 'Which pooler messages are there, by the text before the first colon?',
    sql: `select regexp_replace(split(event_message, ':')[offset(0)], r'^C-0x[0-9a-f]{4}$', 'client') as kind, count(*) as n
      from pooler_logs group by kind order by n desc, kind`,
    answer: ({ pooler }) =>
      counted(
        'kind',
        pooler.map(({ message }) => {
          const [kind = ''] = message.split(':');
          return kind.startsWith('C-0x') ? 'client' : kind;
        }),
      ),
  },
  {
    ask: 'How many transactions and queries per second did the pooler report in total?',
    sql: `select sum(cast(numbers[offset(0)] as int64)) as transactions, sum(cast(numbers[offset(1)] as int64)) as queries
      from (select regexp_extract_all(event_message, '[0-9]+') as numbers from pooler_logs where starts_with(event_message, 'stats:'))`,
    answer: ({ pooler }) => {
      const stats = pooler.flatMap(({ message }) => {
        const [, transactions, queries] =
          /^stats: (\d+) xacts\/s, (\d+) queries/.exec(message) ?? [];
        return transactions === undefined ? [] : [[Number(transactions), Number(queries)]];
      });
      return [
        {
          transactions: sum(stats.map(([first = 0]) => first)),
          queries: sum(stats.map(([, second = 0]) => second)),
        },
      ];
    },
  },
  {
    ask: 'Which words are most frequent in the messages of the REST service?',
    sql: `select lower(word) as w, count(*) as n
      from rest_logs, unnest(regexp_extract_all(event_message, r'[A-Za-z]+')) as word
      group by w order by n desc, w limit 8`,
    answer: ({ rest }) =>
      counted(
        'w',
        rest.flatMap(({ message }) => message.toLowerCase().match(/[a-z]+/g) ?? []),
        8,
      ),
  },
  {
    ask: 'How many paths have two, three, four or more parts?',
    sql: `select array_length(split(trim(request.path, '/'), '/')) as parts, count(distinct request.path) as paths,
        min(request.path) as example
      ${requests} group by parts order by parts`,
    answer: ({ edge }) => {
      const paths = distinct(edge.map(({ path }) => path));
      const parts = (path: string) => path.replaceAll(/^\/+|\/+$/g, '').split('/').length;
      return sort(
        [...groupBy(paths, parts)],
        asc(([size]) => size),
      ).map(([size, items]) => ({
        parts: size,
        paths: items.length,
        example: items.toSorted()[0] ?? '',
      }));
    },
  },
];
