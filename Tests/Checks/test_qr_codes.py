"""Another implementation reads the QR codes of our PNG images."""
import pytest

from support import qr


@pytest.fixture(scope="module")
def images(swift_test, tmp_path_factory):
    folder = tmp_path_factory.mktemp("images")
    swift_test("OtherReaderTests", QRCODE_FOLDER=folder)
    return sorted(folder.glob("*.png"))


def test_zbarimg_reads_what_an_image_contains(images):
    assert images, "The tests of Swift wrote no images."
    assert {image.name: qr.read(image) for image in images} == {
        image.name: image.with_suffix(".txt").read_text().rstrip("\n") for image in images}
