"""Settings come from one file and the environment, and what is wrong with them is said with its name and its place."""

import pytest

from ingest import settings
from ingest.settings import Mistaken, Settings


def test_there_are_defaults_for_everything():
    assert settings.read(environment={}) == Settings()


def test_the_environment_stands_above_the_file_and_the_command_line_above_both(tmp_path):
    file = tmp_path / "floor.toml"
    file.write_text('servers = "a:1"\npartitions = 3\nbatch_seconds = 1\n')
    found = settings.read(file, {"CATWALK_PARTITIONS": "5", "CATWALK_SERVERS": "b:2"}, servers="c:3,d:4")
    assert (found.servers, found.partitions, found.batch_seconds) == ("c:3,d:4", 5, 1.0)
    assert settings.read(environment={"CATWALK_SETTINGS": str(file)}).partitions == 3


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("partitions = 0", "{file}: `partitions` cannot be 0: Expected `int` >= 1"),
        ('partitions = "4"', "{file}: `partitions` cannot be '4': Expected `int`"),
        ("partition = 4", "{file}: there is no setting `partition`; there are base_hours"),
        ('servers = "nowhere"', "{file}: `servers` cannot be 'nowhere'"),
        ("servers = ", "{file}: is no TOML"),
        ('security_protocol = "TLS"', "{file}: `security_protocol` cannot be 'TLS'"),
        ('security_protocol = "SASL_SSL"', "settings: `sasl_mechanism` is missing"),
        ('sasl_mechanism = "PLAIN"', "settings: `sasl_mechanism` is set, but `security_protocol` is PLAINTEXT"),
        ('ssl_cafile = "/no/such.pem"', "settings: `ssl_cafile`: there is no file /no/such.pem"),
        ("session_seconds = 3", "{file}: `session_seconds` cannot be 3"),
    ],
)
def test_a_mistake_is_named(tmp_path, written, said):
    file = tmp_path / "floor.toml"
    file.write_text(written)
    with pytest.raises(Mistaken) as raised:
        settings.read(file, {})
    assert str(raised.value).startswith(said.format(file=file))


def test_a_mistake_in_the_environment_is_named_by_its_variable():
    with pytest.raises(Mistaken, match=r"^CATWALK_PARTITIONS: `partitions` cannot be 'many'"):
        settings.read(environment={"CATWALK_PARTITIONS": "many"})


def test_a_password_is_never_repeated(tmp_path):
    file = tmp_path / "floor.toml"
    file.write_text("sasl_password = 12345")
    with pytest.raises(Mistaken) as raised:
        settings.read(file, {})
    assert "sasl_password" in str(raised.value)
    assert "12345" not in str(raised.value)


def test_a_file_that_is_named_has_to_be_there(tmp_path):
    with pytest.raises(Mistaken, match="cannot be read as settings"):
        settings.read(tmp_path / "none.toml", {})
