/** Notes, plans and code that speak of passwords and keys, or look a little like them, and hold none. */
export const NEAR_SECRETS: readonly string[] = String.raw`
The password policy is strict: at least twelve characters and no reuse
Reset my password tomorrow before the call
I have to change the Wi-Fi password this weekend
my password is wrong again, I need a new one
My password is too short according to the form
my password was leaked in 2019, so I changed it
The password is required for every account
The password is the same as last year, change it
the password is case sensitive
The password is stored in the vault under mail-key
The password is 12 characters long
The password is expired, ask Ben
Password is not accepted on the new portal
Is my password safe with them?
The passphrase is in the safe
The passcode is on the back of the router
Mein Passwort ist falsch, sagt die Seite
Mein Passwort ist abgelaufen und muss neu gesetzt werden
Das Passwort ist zu kurz
Das Passwort ist immer noch dasselbe
Das Kennwort lautet anders als gedacht
Das Passwort für die Bank ist im Tresor
Passwort ändern bis Freitag
Kennwort vergessen, bitte zurücksetzen
Ask Ana for the password of the projector
New password rules from January: no expiry, longer phrases
The login is at nine, bring your laptop
The PIN is printed on the card's letter
the pin is bent, the plug does not fit
Two pins are loose on the connector
secret: none
Secret Santa: draw names by Sunday
The secret is to rest the dough overnight
password: see vault
password: (ask Ben)
Password: ********
password=\${DB_PASSWORD}
password = os.environ["DB_PASSWORD"]
const password = process.env.DB_PASSWORD;
password: str
password: string;
password?: string | undefined
def login(user: str, password: str) -> bool:
if (password.length < 12) throw new Error("too short");
<input type="password" name="password1" autocomplete="current-password">
const { password, confirmPassword } = form.values;
expect(form.password).toBe(form.password2);
token = get_token(user)
api_key = load_key("mail")
api_key: <your key>
API_KEY=your-key-here
apiKey: config.services.maps.apiKey
secret_key = secrets.token_hex(32)
secret = await vault.get("mail-key")
export TOKEN=$(cat token.txt)
curl -H "Authorization: Bearer $TOKEN" https://api.example.org/v1/items
Authorization: Bearer <token>
Authorization: Bearer YOUR_TOKEN_HERE
The header is called Authorization and carries a bearer token
The bearer of this letter may enter
git clone https://github.com/example/project.git
git clone git@github.com:example/project.git
ssh deploy@server.example.org -p 2222
postgres://localhost:5432/prod
postgres://user:password@localhost:5432/app
postgres://\${USER}:\${PASS}@db/app
redis://localhost:6379/0
http://localhost:8420/review
https://example.org:8443/path?x=1@y
mailto:ana@example.org
The URL is https://user@example.org/inbox
ftp://ftp.example.org/pub/file.tar.gz
See https://example.org/docs/auth#token-format for the token format
commit e83c5163316f89bfbde7d9ab23ca2e25604af290
Merge commit 0f4c1b7 into main
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
sha512-hfdYra+ZB6RmviEApxeL/YCx4ovBtpj0d9c+uhlCZaCikObjb8Sb8yqBN6g8/9tt7qD7LXGE3k9RtVvGK1fNVw==
md5 d41d8cd98f00b204e9800998ecf8427e is the empty file
ETag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
build 018f3a2b-7c4d-7e1f-9a0b-1c2d3e4f5a6b failed
The device id is 5f2b6c1e9d8a4f7b
Tracking number 1Z999AA10123456784
Order AB-2026-00117-XK is on its way
IBAN and BIC are in the contract
Wi-Fi network FRITZ!Box 7590 QX, ask at the desk
serial C02XG1ABCD12, bought 2026-02-14
license plate W-12345X
The room code is shown at the door
The meeting id is 882 1234 5678
Case number 4711/2026, reference AZ 12 C 345/26
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
![dot](data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7)
<svg viewBox="0 0 24 24"><path d="M12 2l3.09 6.26L22 9.27l-5 4.87 1.18 6.88L12 17.77z"/></svg>
const id = "b3b7c1d2e4f5a6b7c8d9";
const KEY = "settings.theme";
localStorage.getItem("session-key")
primaryKey: true, foreignKey: "user_id"
SELECT key, value FROM settings WHERE key = 'theme'
sort by key, then by name
Press any key to continue
The key is under the mat
Keys: front door, cellar, bike
The token ring is history
Refresh tokens live for thirty days
The access token expires after an hour
token budget 4096, token count 1311
sk-estimators and sk-learn-extra are packages
task-2026-11-18-write-the-quarterly-report-for-finance
risk-register-of-the-harbour-project-version-12-final
npm_config_cache=/var/cache/npm
npm_package_version is set by npm
ghp_ is the prefix of a classic token
github_pat_ is the prefix of a fine-grained one
xoxb- tokens belong to bots
AKIA is how AWS key ids begin
glpat- and gldt- are GitLab prefixes
hf_hub_download("bert-base-uncased", "config.json")
dp.pt is the Portuguese page of the dictionary
key-value stores and key-frames
pypi-server is a small package index
SG.de is a sports club
Write AccountKey= and then the key from the portal
AccountName=photos;AccountKey=<key>
-- secretlint-disable is a comment some tools know
type: bearer
scheme: basic
Basic training starts on Monday
basic auth is switched off since March
---\ntitle: Rotate keys\nsteps: [ask, rotate, check]\n---
run: openssl rand -hex 32
run: npm test
run: python3 -m pytest -q tests
- name: Check out\n  uses: actions/checkout@8f4b7f84864484a7bf31766abe9204da3cbe65b3
image: postgres@sha256:4ec37d2a07a0067f176fdcc9d4bb633a5724d2cc4f892c7a2046d054bb6939e5
integrity "sha512-C8gSjA0d5pDr4FsO9YBqOZ3Vh5TxS1c0yXUuuI5iyDYPqBNVE5YdwmRDMUCV4GtiN8Rv2g+v0mX2H8hq6Zf4pw=="
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5tG3cmZPsVUYGgG3tFzJ1dEnFvKQ8sJ9aV3h6Yx2Lr ana@laptop
SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDMOL0rxqEF3lWTZ0I is the fingerprint
-----BEGIN CERTIFICATE-----
-----BEGIN PUBLIC KEY-----
age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p is a recipient
AC0123456789abcdef0123456789abcdef is an account SID and no secret
The bot is @SilasHelperBot, its number is 7261834590
Call 0664 1234567 after 18:30
Ratio 1920:1080, time 12:30:45, score 3:2
2026-11-18T01:02:03.456Z started, took 1234567890 ns
The regular expression is ^[A-Za-z0-9_-]{35}$
A password has 128-bit strength when it has ten random words
the password is 2026-ready they said
password managers compared: three that work offline
passwordless login is coming
Passwortmanager für die Familie einrichten
Secrets of the sea, a book for Ben
Client secret rotation is planned for Q1
client_secret: ref:calendar-client
auth_token: vault:calendar
api_token: {{ secrets.API_TOKEN }}
\${{ secrets.GITHUB_TOKEN }}
GITHUB_TOKEN is set by the runner
AWS_REGION=eu-central-1
AWS_PROFILE=home
aws s3 cp report.pdf s3://bucket/reports/2026/
aws_account_id = 123456789012
arn:aws:iam::123456789012:role/reader
DefaultEndpointsProtocol=https;AccountName=photos
Server=db;Database=prod;Integrated Security=true
JDBC address jdbc:postgresql://db.internal:5432/prod
amqp://rabbit.internal:5672/vhost
Remember: never send a password by mail
Frag Ana nach dem Passwort, schreib es nirgends hin
Das Geheimnis ist Geduld
Mot de passe oublié : réinitialiser demain
La contraseña caduca en enero
`
  .trim()
  .split("\n")
  .map((line) => line.replaceAll("\\n", "\n"));
